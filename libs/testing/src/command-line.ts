import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

type Options<Config extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Config; strict: true; allowPositionals: false }>
>['values'];

/**
 * The options that a command was given. With --help it prints `help` and ends; what it does not know, it refuses. A word
 * without an option is the value of `bare`, where that is given.
 */
export function commandLine<const Config extends ParseArgsOptionsConfig>(
  help: string,
  options: Config,
  bare?: keyof Config & string,
): Options<Config> {
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean' } },
      strict: true,
      allowPositionals: bare !== undefined,
    });
    const [word, ...more] = positionals;
    if (more.length > 0) return refuse(`${more.join(' ')} is more than the one word that is expected`);
    if (bare !== undefined && word !== undefined) Object.assign(values, { [bare]: word });
    if ('help' in values && values.help === true) {
      process.stdout.write(help);
      process.exit(0);
    }
    return values as Options<Config>;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** A whole number of at least `least`; ends the process where the text is none. */
export function wholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= least
    ? number
    : refuse(`--${option} is "${text}"; expected a whole number of at least ${least}`);
}

/** One of several words; ends the process where the text is none of them. */
export function oneOf<const Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === text);
  return word ?? refuse(`--${option} is "${text}"; expected one of ${words.join(', ')}`);
}

/** Says what is wrong with how the command was called, and ends it with code 2. */
export function refuse(problem: string): never {
  process.stderr.write(`${problem}\n--help lists the options.\n`);
  process.exit(2);
}
