import { useMemo } from 'react';
import { diffLines } from 'diff';
import './diff.css';

/** Lines without a change that are shown beside a change. */
const CONTEXT_LINES = 3;
/** Above this size of both texts together in characters, comparing lines takes longer than a person waits. */
const MAX_CHARACTERS = 400_000;

interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
}

/** The differences of two texts, line by line. Long parts without a change are folded to their number of lines. */
export function Diff({
  label,
  before,
  after,
}: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}) {
  const lines = useMemo(() => compare(before, after), [before, after]);
  if (lines === undefined) return <p className="muted">The file is too large to compare here.</p>;
  if (lines.length === 0) return <p className="muted">No difference.</p>;
  return (
    <pre className="diff" role="region" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <span key={index} className={`diff-line diff-${kind}`}>
          <span aria-hidden="true">{{ same: '  ', added: '+ ', removed: '- ', skipped: '  ' }[kind]}</span>
          <span className="visually-hidden">
            {{ same: '', added: 'added: ', removed: 'removed: ', skipped: '' }[kind]}
          </span>
          {text}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function compare(before: string, after: string): readonly DiffLine[] | undefined {
  if (before.length + after.length > MAX_CHARACTERS) return undefined;
  const changes = diffLines(before, after);
  if (!changes.some(({ added, removed }) => added || removed)) return [];
  return changes.flatMap(({ added, removed, value }, index): DiffLine[] => {
    const texts = value.replace(/\n$/, '').split('\n');
    if (added || removed) return texts.map((text) => ({ kind: added ? 'added' : 'removed', text }));
    return foldSame(texts, { isFirst: index === 0, isLast: index === changes.length - 1 });
  });
}

function foldSame(
  texts: readonly string[],
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): DiffLine[] {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const skipped = texts.length - head - tail;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  if (skipped <= 1) return same(texts);
  return [
    ...same(texts.slice(0, head)),
    { kind: 'skipped', text: `… ${skipped} lines without a change` },
    ...same(texts.slice(texts.length - tail)),
  ];
}
