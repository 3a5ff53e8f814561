import { scanShell, type ShellCommand } from './shell-words.js';

/** A tool call as the protocol shows it. */
export interface ShownCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Tools to which a rule for reading, and one for editing, applies. */
const READING = ['Read', 'Grep', 'Glob'];
const EDITING = ['Edit', 'Write', 'NotebookEdit'];

/** Programs that run their arguments; a rule is also compared with what they run. */
const WRAPPERS = new Set(['timeout', 'time', 'nice', 'nohup', 'stdbuf']);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

export interface PermissionRule {
  readonly tool: string;
  /** What stands in the parentheses. */
  readonly specifier?: string;
}

/** Parses a permission rule such as `Bash(git *)`; `undefined` if it is none. */
export function parsePermissionRule(text: string): PermissionRule | undefined {
  const found = /^\s*([A-Za-z_][\w*-]*)\s*(?:\(([^]*)\))?\s*$/.exec(text);
  if (!found) return undefined;
  const [, tool = '', specifier] = found;
  return specifier === undefined || specifier === '' || specifier === '*' ? { tool } : { tool, specifier };
}

/**
 * Whether a rule applies to a call. `root` is the working directory as the call sees it. A command line that cannot be parsed matches each
 * rule for Bash, so that no guard is switched off by a strange command.
 */
export function matchesRule({ tool, specifier }: PermissionRule, call: ShownCall, root: string): boolean {
  if (!matchesTool(tool, call.tool)) return false;
  if (specifier === undefined) return true;
  const { input } = call;
  if (call.tool === 'Bash') return matchesCommand(specifier, readText(input, 'command'));
  if ([...READING, ...EDITING].includes(call.tool)) {
    const path = readText(input, 'file_path') ?? readText(input, 'path') ?? root;
    return matchesPath(specifier, path, root);
  }
  if (call.tool === 'WebFetch') return matchesDomain(specifier, readText(input, 'url'));
  if (call.tool === 'Agent') return matchesWildcard(specifier, readText(input, 'subagent_type') ?? '');
  // The protocol declares no specifier for the other tools. The hook runs rather than not.
  return true;
}

function matchesTool(rule: string, tool: string): boolean {
  if (rule === tool) return true;
  if (rule === 'Read') return READING.includes(tool);
  if (rule === 'Edit') return EDITING.includes(tool);
  if (!rule.startsWith('mcp__')) return false;
  // A rule that names a server applies to all of its tools.
  return rule.includes('*') ? matchesWildcard(rule, tool) : tool.startsWith(`${rule}__`);
}

function matchesCommand(specifier: string, line: string | undefined): boolean {
  if (line === undefined) return true;
  const found = scanShell(line);
  if (!found) return true;
  return found.commands.some((command) => listForms(command).some((text) => matchesWildcard(specifier, text)));
}

/** A command as it is written, without its variables, and without programs that only run another. */
function listForms({ words, text }: ShellCommand): readonly string[] {
  const forms = [text];
  let rest = words.map((word) => word.text);
  let changed = true;
  while (changed && rest.length > 0) {
    changed = false;
    while (ASSIGNMENT.test(rest[0] ?? '')) {
      rest = rest.slice(1);
      changed = true;
    }
    if (changed) forms.push(rest.join(' '));
    if (WRAPPERS.has(rest[0] ?? '')) {
      rest = rest.slice(1);
      while (/^(-|\d)/.test(rest[0] ?? '')) rest = rest.slice(1);
      forms.push(rest.join(' '));
      changed = true;
    }
  }
  forms.push(words.map((word) => word.text).join(' '));
  return forms;
}

/** `*` stands for any text. A last ` *` or `:*` also matches when nothing follows. */
function matchesWildcard(pattern: string, text: string): boolean {
  const normal = pattern.replace(/:\*$/, ' *');
  if (normal.endsWith(' *') && matchesParts(normal.slice(0, -2).split('*'), text)) return true;
  return matchesParts(normal.split('*'), text);
}

/** Whether a text consists of the parts in order with anything between them. Takes the first place of each, so it is linear. */
function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function matchesDomain(specifier: string, url: string | undefined): boolean {
  const wanted = /^domain:(.+)$/.exec(specifier)?.[1]?.toLowerCase();
  if (wanted === undefined || url === undefined || !URL.canParse(url)) return true;
  const host = new URL(url).hostname.toLowerCase();
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
}

/**
 * Compares a path with a pattern as in `.gitignore`: `//x` is absolute, `/x` begins at the working directory, `~/x` at the home folder; others
 * without a slash match at every depth.
 */
function matchesPath(specifier: string, path: string, root: string): boolean {
  if (specifier.startsWith('~')) return matchesSegments(`/home/agent${specifier.slice(1)}`, path);
  if (specifier.startsWith('//')) return matchesSegments(specifier.slice(1), path);
  const pattern = specifier.replace(/^\.?\//, '');
  const isAnchored = specifier.startsWith('/') || pattern.replace(/\/$/, '').includes('/');
  const relative = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return matchesSegments(isAnchored ? pattern : `**/${pattern}`, relative);
}

/** Compares folder by folder. `**` stands for any number of folders; a pattern also matches everything below a folder that it matches. */
function matchesSegments(pattern: string, path: string): boolean {
  const wanted = pattern.split('/').filter((part) => part !== '');
  const given = path.split('/').filter((part) => part !== '' && part !== '.');
  // reached[i]: the first i parts of the pattern match the folders so far.
  let reached = new Set(skipDeep(wanted, [0]));
  for (const name of given) {
    const next = new Set<number>();
    for (const index of reached) {
      const part = wanted[index];
      if (part === undefined || part === '**') next.add(index);
      if (part !== undefined && part !== '**' && matchesParts(part.split('*'), name)) next.add(index + 1);
    }
    reached = new Set(skipDeep(wanted, [...next]));
  }
  return reached.has(wanted.length);
}

/** `**` may stand for no folder. */
function skipDeep(wanted: readonly string[], indexes: readonly number[]): readonly number[] {
  return indexes.flatMap((index) => {
    const all = [index];
    while (wanted[all.at(-1)!] === '**') all.push(all.at(-1)! + 1);
    return all;
  });
}

function readText(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' ? value : undefined;
}
