/** A word of a command line, with the quotes removed, and where it ends. */
interface ShellWord {
  readonly text: string;
  /** Whether the shell would still change it: variables, globs, tildes, substitutions. */
  readonly isExpanded: boolean;
}

/** A command line that consists of simple words, or `undefined` if a shell is needed to say what it does. */
export function splitSimpleCommand(line: string): readonly string[] | undefined {
  const found = scanShell(line);
  if (!found || found.commands.length !== 1) return undefined;
  const [command] = found.commands;
  return command!.words.every(({ isExpanded }) => !isExpanded) && !command!.hasRedirection
    ? command!.words.map(({ text }) => text)
    : undefined;
}

/** One simple command of a command line. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** As it is written, without the operators around it. */
  readonly text: string;
  readonly hasRedirection: boolean;
}

/**
 * Splits a command line into its simple commands: at `;`, `&`, `|`, line breaks, groups, and inside `$()`, backquotes and process
 * substitutions. Returns `undefined` for what it cannot parse: open quotes, here-documents, and the compound commands of the shell.
 */
export function scanShell(line: string): { readonly commands: readonly ShellCommand[] } | undefined {
  const commands: ShellCommand[] = [];
  try {
    new Scanner(line, commands).scanList(undefined);
  } catch (error) {
    if (error instanceof CannotParse) return undefined;
    throw error;
  }
  return { commands };
}

class CannotParse extends Error {}

/** Words that begin a compound command, or are a part of one. */
const RESERVED = new Set(
  [
    'if',
    'then',
    'else',
    'elif',
    'fi',
    'for',
    'while',
    'until',
    'do',
    'done',
    'case',
    'esac',
    'select',
    'function',
  ].concat(['{', '}', '!', '[[', ']]', 'coproc', 'time']),
);
const MAX_DEPTH = 20;

class Scanner {
  private at = 0;

  constructor(
    private readonly line: string,
    private readonly commands: ShellCommand[],
    private readonly depth = 0,
  ) {
    if (depth > MAX_DEPTH) throw new CannotParse();
  }

  /** Scans commands up to `end`, or to the end of the text. */
  scanList(end: ')' | undefined): void {
    for (;;) {
      this.skip(/[\s;&|]/);
      const next = this.line[this.at];
      if (next === undefined || next === ')') {
        if (next !== end) throw new CannotParse();
        return;
      }
      if (next === '#') this.skip(/[^\n]/);
      else if (next === '(') {
        this.at += 1;
        this.scanList(')');
        this.at += 1;
      } else this.scanCommand();
    }
  }

  private scanCommand(): void {
    const words: ShellWord[] = [];
    const begin = this.at;
    let hasRedirection = false;
    for (;;) {
      this.skip(/[ \t]/);
      if (this.line.startsWith('\\\n', this.at)) {
        this.at += 2;
        continue;
      }
      const next = this.line[this.at];
      if (next === undefined || /[\n;|)]/.test(next)) break;
      if (next === '&') {
        if (this.line[this.at + 1] !== '>') break;
        this.at += 1;
        continue;
      }
      if (next === '(') throw new CannotParse();
      if (next === '<' || next === '>') {
        hasRedirection = true;
        this.scanRedirection();
        continue;
      }
      if (next === '#' && words.length > 0) {
        this.skip(/[^\n]/);
        break;
      }
      words.push(this.scanWord());
    }
    if (words[0] && RESERVED.has(words[0].text) && !words[0].isExpanded) throw new CannotParse();
    this.commands.push({ words, text: this.line.slice(begin, this.at).trim(), hasRedirection });
  }

  private scanRedirection(): void {
    if (this.line.startsWith('<<', this.at)) throw new CannotParse();
    if (this.line.startsWith('<(', this.at) || this.line.startsWith('>(', this.at)) {
      this.at += 2;
      this.scanInner(')');
      return;
    }
    this.skip(/[<>&|]/);
  }

  private scanWord(): ShellWord {
    let text = '';
    let isExpanded = false;
    for (;;) {
      const next = this.line[this.at];
      if (next === undefined || /[\s;&|()<>]/.test(next)) break;
      this.at += 1;
      if (next === "'") {
        const end = this.line.indexOf("'", this.at);
        if (end < 0) throw new CannotParse();
        text += this.line.slice(this.at, end);
        this.at = end + 1;
      } else if (next === '"') {
        const quoted = this.scanQuoted();
        text += quoted.text;
        isExpanded ||= quoted.isExpanded;
      } else if (next === '\\') {
        text += this.line[this.at] ?? '';
        this.at += 1;
      } else if (next === '$' || next === '`') {
        text += this.scanExpansion(next);
        isExpanded = true;
      } else {
        isExpanded ||= /[*?[~{]/.test(next);
        text += next;
      }
    }
    return { text, isExpanded };
  }

  private scanQuoted(): ShellWord {
    let text = '';
    let isExpanded = false;
    for (;;) {
      const next = this.line[this.at];
      if (next === undefined) throw new CannotParse();
      this.at += 1;
      if (next === '"') return { text, isExpanded };
      if (next === '\\' && /["\\$`\n]/.test(this.line[this.at] ?? '')) {
        text += this.line[this.at]!;
        this.at += 1;
      } else if (next === '$' || next === '`') {
        text += this.scanExpansion(next);
        isExpanded = true;
      } else text += next;
    }
  }

  /** Scans what follows `$` or a backquote, and adds the commands in it. */
  private scanExpansion(mark: '$' | '`'): string {
    const begin = this.at - 1;
    if (mark === '`') {
      const end = this.line.indexOf('`', this.at);
      if (end < 0) throw new CannotParse();
      this.addInner(this.line.slice(this.at, end));
      this.at = end + 1;
    } else if (this.line[this.at] === '(') {
      if (this.line[this.at + 1] === '(') throw new CannotParse();
      this.at += 1;
      this.scanInner(')');
    } else if (this.line[this.at] === '{') {
      const end = this.line.indexOf('}', this.at);
      const inner = this.line.slice(this.at, end);
      // A default value may contain a command.
      if (end < 0 || /[$`]/.test(inner)) throw new CannotParse();
      this.at = end + 1;
    } else if (this.line[this.at] === "'") throw new CannotParse();
    return this.line.slice(begin, this.at);
  }

  private scanInner(end: ')'): void {
    const inner = new Scanner(this.line.slice(this.at), this.commands, this.depth + 1);
    inner.scanList(end);
    this.at += inner.at + 1;
  }

  private addInner(text: string): void {
    new Scanner(text, this.commands, this.depth + 1).scanList(undefined);
  }

  private skip(characters: RegExp): void {
    while (this.at < this.line.length && characters.test(this.line[this.at]!)) this.at += 1;
  }
}

/** Quotes a word so that a shell reads it unchanged. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
