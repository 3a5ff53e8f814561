import type { InboxItem } from '@phaseline/client';
import type { ReactNode } from 'react';

type Source = NonNullable<NonNullable<InboxItem['approval']>['sources']>[number];

/** What the texts of a call cite. Quotations are shown as text: nothing in them is a link. */
export function CitedSources({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <section className="stack-small">
      <h3>Cited sources</h3>
      <ul className="stack-small">
        {sources.map((source) => (
          <li key={JSON.stringify(source)}>{renderSource(source)}</li>
        ))}
      </ul>
    </section>
  );
}

function renderSource(source: Source): ReactNode {
  if (source.kind === 'file') return <code className="wrap-anywhere">{source.path}</code>;
  if (source.kind === 'source')
    return (
      <span className="wrap-anywhere">
        [{source.number}] <code>{source.path}</code> from {source.url}
      </span>
    );
  return (
    <div className="source-quote">
      <p>“{source.quote}”</p>
      <p className="muted">
        {source.document}
        {describePlace(source)}
      </p>
    </div>
  );
}

function describePlace(source: Extract<Source, { readonly kind: 'citation' }>): string {
  const found = (['lines', 'pages', 'paragraphs'] as const).flatMap((unit) => {
    const place = source[unit];
    if (!place) return [];
    return [place.from === place.to ? `${unit.slice(0, -1)} ${place.from}` : `${unit} ${place.from} to ${place.to}`];
  });
  return found.length === 0 ? '' : `, ${found.join(', ')}`;
}
