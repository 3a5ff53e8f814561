import { act, failedAct, createTimes, type Act } from '../labelled-run.js';

// Calls of the real tools, with results worded as those tools word them.

export function exists(path: string, size?: number): Act {
  const result = size === undefined ? `${path} does not exist.` : `${path} exists (${size} bytes).`;
  return act('file_exists', { path }, result);
}

export function search(
  query: string,
  hits: readonly string[] = [],
  more: { path?: string; regex?: boolean } = {},
): Act {
  const result = hits.length === 0 ? 'No line of 212 files matches.' : hits.join('\n');
  return act('search_files', { query, ...more }, result);
}

export function readLines(path: string, from: number, to: number, total: number, text: string): Act {
  const rest = to < total ? ` Continue with from_line ${to + 1}.` : '';
  return act(
    'read_file',
    { path, from_line: from, to_line: to },
    `${text}\n[lines ${from} to ${to} of ${total}.${rest}]`,
  );
}

export function editFile(path: string, oldText: string, newText: string, after: string): Act {
  return act('edit_file', { path, old_text: oldText, new_text: newText }, `Replaced 1 place in ${path}.`, {
    files: { [path]: after },
  });
}

export function fetched(url: string, number: number, title: string, text: string): Act {
  const head = `Source ${number}: ${title}\nAddress: ${url}\nKept in sources/${number}.md (${text.length} characters), retrieved 2026-03-02T09:00:00.000Z.`;
  return act('fetch_url', { url }, `${head}\n\n${text}`, { effect: 'idempotent' });
}

export function fetchFails(url: string, message: string): Act {
  return failedAct('fetch_url', { url }, message, { effect: 'idempotent' });
}

/** A call of a tool on an external server. */
export function remote(tool: string, args: Act['args'], result: string): Act {
  return act(tool, args, result, { effect: 'idempotent' });
}

/** Creates a file to which each call appends a line. */
export function growingFile(path: string, head = ''): (line: string) => Act {
  let text = head;
  return (line) => {
    text += `${line}\n`;
    return act('append_file', { path, content: `${line}\n` }, `Appended to ${path} (now ${text.length} bytes).`, {
      files: { [path]: text },
    });
  };
}

/** Creates a file of numbered lines in which each call replaces one line. */
export function linesFile(
  path: string,
  count: number,
  line: (index: number) => string,
): (index: number, text: string) => Act {
  const lines = [...createTimes(count, line)];
  return (index, text) => {
    const before = lines[index - 1]!;
    lines[index - 1] = text;
    return editFile(path, before, text, lines.join('\n'));
  };
}

const MODULES = (
  'billing orders customers shipping returns catalog pricing inventory reports search login profile session audit export ' +
  'import backup mail calendar notes tasks chat video upload download archive preview printing labels taxes discounts vouchers ' +
  'payments refunds invoices ledger contracts suppliers warehouse routes drivers vehicles sensors alarms metrics dashboards widgets ' +
  'themes fonts icons menus dialogs forms tables charts maps filters rules events queues workers schedules locks caches streams ' +
  'parsers printers scanners tokens keys certificates proxies gateways tenants teams roles permissions grants policies consents ' +
  'surveys answers scores badges levels lessons courses exams grades'
).split(' ');

/** Returns the unique name of the module with this number, from 1. */
export function moduleName(index: number): string {
  const name = MODULES[(index - 1) % MODULES.length]!;
  return index <= MODULES.length ? name : `${name}_${Math.floor((index - 1) / MODULES.length) + 1}`;
}
