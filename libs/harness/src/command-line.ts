import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

type Options<Config extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Config; strict: true; allowPositionals: false }>
>['values'];

/**
 * Parses the options of the command. `--help` prints `help` and exits; an unknown option exits with code 2. With `bare`, one
 * argument without a flag is accepted as the value of that option. `args` replaces the arguments of this process, for a command with
 * subcommands.
 */
export function parseCommandLine<const Config extends ParseArgsOptionsConfig>(
  help: string,
  options: Config,
  bare?: keyof Config & string,
  args: readonly string[] = process.argv.slice(2),
): Options<Config> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean' } },
      strict: true,
      allowPositionals: bare !== undefined,
    });
    const [argument, ...rest] = positionals;
    if (rest.length > 0)
      return exitWithUsageError(`unexpected arguments: ${rest.join(' ')} (at most one argument is allowed)`);
    if (bare !== undefined && argument !== undefined) Object.assign(values, { [bare]: argument });
    if ('help' in values && values.help === true) {
      process.stdout.write(help);
      process.exit(0);
    }
    return values as Options<Config>;
  } catch (error) {
    return exitWithUsageError((error as Error).message);
  }
}

/** Parses a whole number of at least `least`. Exits with code 2 if the text is anything else. */
export function parseWholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= least
    ? number
    : exitWithUsageError(`--${option} is "${text}"; expected a whole number of at least ${least}`);
}

/** Returns the choice that the text names. Exits with code 2 if it names none. */
export function parseChoice<const Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === text);
  return choice ?? exitWithUsageError(`--${option} is "${text}"; expected one of ${choices.join(', ')}`);
}

/** Prints a usage error and exits with code 2. */
export function exitWithUsageError(problem: string): never {
  process.stderr.write(`${problem}\n--help lists the options.\n`);
  process.exit(2);
}
