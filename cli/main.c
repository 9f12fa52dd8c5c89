/* latentforce: the program that runs as one process. */
#include "program.h"

int main(int argc, char **argv)
{
    cli_prepare(argv);
    return cli_main(argc, argv, NULL);
}
