import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What may follow a command: its subcommands and options. */
interface Entry {
  /** Names from the program on, without the program; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly Option[];
}

/**
 * Writes the completion script of a shell from the commands themselves. Commander has no completion of its own, and a script that
 * holds all names needs no process for each press of a key. Values are completed where they are a fixed choice; elsewhere files are.
 */
export function completionScript(program: Command, shell: Shell): string {
  const entries = entriesOf(program);
  switch (shell) {
    case 'bash':
      return bash(entries);
    case 'zsh':
      // zsh runs the functions of bash, with its own files of completions around them.
      return `#compdef phaseline\nautoload -U +X bashcompinit && bashcompinit\n${bash(entries)}`;
    case 'fish':
      return fish(entries);
  }
}

function entriesOf(program: Command): Entry[] {
  const globals = program.options.filter((option) => !option.hidden);
  const walk = (command: Command, path: readonly string[]): Entry[] => {
    const commands = command.commands.filter((one) => !(one as Command & { _hidden?: boolean })._hidden);
    return [
      {
        path: path.join(' '),
        commands: commands.map((one) => ({ name: one.name(), description: one.description() })),
        options: path.length === 0 ? globals : [...command.options.filter((option) => !option.hidden), ...globals],
      },
      ...commands.flatMap((one) => walk(one, [...path, one.name()])),
    ];
  };
  return walk(program, []);
}

const flagsOf = ({ short, long }: Option): string[] =>
  [short, long].filter((flag) => flag !== undefined && flag !== null);

function bash(entries: readonly Entry[]): string {
  const words = entries.map(
    ({ path, commands, options }) =>
      `    ${quote(path)}) words=${quote([...commands.map(({ name }) => name), ...options.flatMap(flagsOf), '--help'].join(' '))} ;;`,
  );
  const choices = new Map(
    entries
      .flatMap(({ options }) =>
        options.flatMap((option) => flagsOf(option).map((flag) => [flag, option.argChoices ?? []] as const)),
      )
      .filter(([, list]) => list.length > 0),
  );
  const values = [...choices].map(
    ([flag, list]) => `    ${flag}) COMPREPLY=($(compgen -W ${quote(list.join(' '))} -- "$current")); return ;;`,
  );
  const paths = entries.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  return [
    '_phaseline() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" words="" index word',
    '  case "$previous" in',
    ...values,
    '  esac',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    '    word="${path:+$path }${COMP_WORDS[index]}"',
    '    case "$word" in',
    `      ${paths.join('|')}) path="$word" ;;`,
    '    esac',
    '  done',
    '  case "$path" in',
    ...words,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _phaseline phaseline',
    '',
  ].join('\n');
}

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, commands, options }) => {
    const names = path === '' ? [] : path.split(' ');
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const open = path === '' ? ['__fish_use_subcommand'] : seen;
    const inner = commands.map(
      ({ name, description }) =>
        `complete -c phaseline -f -n ${quote(open.join('; and '))} -a ${name} -d ${quote(description)}`,
    );
    // Those of the program are known everywhere, so they are said once.
    const own = path === '' ? options : options.filter((option) => !(entries[0]?.options ?? []).includes(option));
    const flags = own.map((option) => {
      const { short, long, argChoices, description } = option;
      return [
        'complete -c phaseline',
        ...(seen.length > 0 ? [`-n ${quote(seen.join('; and '))}`] : []),
        ...(short ? [`-s ${short.slice(1)}`] : []),
        ...(long ? [`-l ${long.slice(2)}`] : []),
        ...(argChoices ? [`-x -a ${quote(argChoices.join(' '))}`] : option.required ? ['-r'] : []),
        `-d ${quote(description)}`,
      ].join(' ');
    });
    return [...inner, ...flags];
  });
  return `${lines.join('\n')}\n`;
}

/** In single quotes, which bash, zsh and fish read alike but for a quote inside. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
