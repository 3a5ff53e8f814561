import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What can follow a command: its subcommands and options. */
interface Entry {
  /** Command names separated by spaces, without the program; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly Option[];
}

/**
 * Generates the completion script of a shell from the commander program, which cannot generate one. The script contains all
 * names, so that no process is started per key press. It completes values of fixed choices, and file names everywhere else.
 */
export function completionScript(program: Command, shell: Shell): string {
  const entries = collectEntries(program);
  switch (shell) {
    case 'bash':
      return renderBash(entries);
    case 'zsh':
      // zsh can run bash completion functions.
      return `#compdef phaseline\nautoload -U +X bashcompinit && bashcompinit\n${renderBash(entries)}`;
    case 'fish':
      return renderFish(entries);
  }
}

function collectEntries(program: Command): Entry[] {
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

const getFlags = ({ short, long }: Option): string[] =>
  [short, long].filter((flag) => flag !== undefined && flag !== null);

function renderBash(entries: readonly Entry[]): string {
  const words = entries.map(
    ({ path, commands, options }) =>
      `    ${quote(path)}) words=${quote([...commands.map(({ name }) => name), ...options.flatMap(getFlags), '--help'].join(' '))} ;;`,
  );
  const choices = new Map(
    entries
      .flatMap(({ options }) =>
        options.flatMap((option) => getFlags(option).map((flag) => [flag, option.argChoices ?? []] as const)),
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

function renderFish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, commands, options }) => {
    const names = path === '' ? [] : path.split(' ');
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const open = path === '' ? ['__fish_use_subcommand'] : seen;
    const inner = commands.map(
      ({ name, description }) =>
        `complete -c phaseline -f -n ${quote(open.join('; and '))} -a ${name} -d ${quote(description)}`,
    );
    // Global options apply everywhere, so they are listed once.
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

/** Puts text in single quotes for bash, zsh and fish. They escape a quote differently, so it becomes a typographic one. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
