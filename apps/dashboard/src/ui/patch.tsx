import './diff.css';

/** A unified diff of one file as the server made it. Lines of the header name the file, which the page shows already. */
export function Patch({ label, patch }: { readonly label: string; readonly patch: string }) {
  const lines = patch
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(?:Index: |={10}|--- |\+\+\+ )/.test(line));
  return (
    <pre className="diff" role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, index) => {
        const kind = kindOf(line);
        return (
          <span key={index} className={`diff-line diff-${kind}`}>
            <span aria-hidden="true">{kind === 'skipped' ? '' : `${line.slice(0, 1) || ' '} `}</span>
            <span className="visually-hidden">{{ added: 'added: ', removed: 'removed: ' }[kind as 'added'] ?? ''}</span>
            {kind === 'skipped' ? line : line.slice(1)}
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}

function kindOf(line: string): 'same' | 'added' | 'removed' | 'skipped' {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('@@') || line.startsWith('\\') ? 'skipped' : 'same';
}
