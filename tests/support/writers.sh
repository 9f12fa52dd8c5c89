# Every command that writes, for the tests of writing that fails; to be sourced after bad_input.sh. In each line OUT stands for the
# file that it writes, whose name ends so; what else it writes goes to /dev/null.
"$program" condition model.json good.csv --engine kalman -o stored.json -q || exit 1
printf 'output,x,y\na,5,1\n' >later.csv
mkdir dygraphs
touch dygraphs/dygraph.min.js dygraphs/dygraph.min.css
writers=(
    'help fit -o OUT.txt'
    'help --man -o OUT.1'
    'help --completion bash -o OUT.sh'
    'data good.csv -o OUT.csv'
    'fit good.csv --max-iterations 1 -o OUT.json'
    'condition model.json good.csv -o OUT.json'
    'update stored.json later.csv -o OUT.json'
    'evaluate model.json good.csv -o OUT.txt'
    'evaluate model.json good.csv --json -o OUT.json'
    'predict stored.json --grid 3 -o OUT.csv'
    'predict stored.json --grid 3 --json -o OUT.json'
    'score stored.json good.csv -o OUT.txt'
    'score stored.json good.csv --rows OUT.csv -o /dev/null'
    'compare model.json stored.json --data good.csv -o OUT.txt'
    'simulate model.json --at at.csv -o OUT.csv'
    'simulate model.json --at at.csv --forces OUT.csv -o /dev/null'
    'covariance model.json --at at.csv -o OUT.csv'
    'show stored.json -o OUT.txt'
    'show stored.json --json -o OUT.json'
    'report stored.json --data good.csv --dygraphs dygraphs -o OUT.html'
)
# A figure needs gnuplot.
command -v gnuplot >/dev/null && writers+=('plot stored.json --data good.csv -o OUT.svg' 'plot model.json --what covariance --at at.csv -o OUT.png')
# Those that print their result instead.
printers=(
    '--version' 'help' 'help fit' 'help files' 'help --man' 'help --completion zsh' 'help --completion fish' 'data good.csv'
    'fit good.csv --max-iterations 1 -o fitted.json --json' 'fit good.csv --max-iterations 1 -o -' 'condition model.json good.csv -o -'
    'evaluate model.json good.csv' 'evaluate model.json good.csv --json' 'predict stored.json --grid 3' 'predict stored.json --grid 3 --json'
    'score stored.json good.csv' 'score stored.json good.csv --json' 'compare model.json stored.json --data good.csv'
    'simulate model.json --at at.csv' 'covariance model.json --at at.csv' 'show stored.json' 'show stored.json --json'
    'update stored.json later.csv -o -'
)
