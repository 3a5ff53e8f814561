import { parseXml } from './parse-xml.js';
import { UnreadableReport, type Coverage } from './report.js';

/** Counts the covered lines of an LCOV report. Throws UnreadableReport. */
export function readLcov(text: string): Coverage {
  const lines = new LineHits();
  let file: string | undefined;
  for (const row of text.split(/\r?\n/)) {
    if (row.startsWith('SF:')) file = row.slice(3);
    else if (row === 'end_of_record') file = undefined;
    const [, line, hits] = /^DA:(\d+),(\d+)/.exec(row) ?? [];
    if (line === undefined || hits === undefined) continue;
    if (file === undefined) throw new UnreadableReport('it has a line (DA) outside a file (SF)');
    lines.add(file, line, Number(hits) > 0);
  }
  return lines.finish();
}

/** Counts the covered lines of a Cobertura report. Throws UnreadableReport. */
export function readCobertura(text: string): Coverage {
  const lines = new LineHits();
  let file = '';
  parseXml(text, {
    open({ name, attributes }, depth) {
      if (depth === 1 && name !== 'coverage')
        throw new UnreadableReport(`its first element is '${name.slice(0, 50)}', expected 'coverage'`);
      if (name === 'class') file = attributes['filename'] ?? '';
      // Lines are listed in their class and again in its methods.
      if (name === 'line') lines.add(file, attributes['number'] ?? '', Number(attributes['hits']) > 0);
    },
  });
  return lines.finish();
}

/** The lines of all files, each counted once. */
class LineHits {
  private readonly hits = new Map<string, boolean>();

  add(file: string, line: string, isHit: boolean): void {
    const key = `${file}\0${line}`;
    this.hits.set(key, isHit || this.hits.get(key) === true);
  }

  finish(): Coverage {
    if (this.hits.size === 0) throw new UnreadableReport('it lists no line');
    return { coveredLines: [...this.hits.values()].filter(Boolean).length, totalLines: this.hits.size };
  }
}
