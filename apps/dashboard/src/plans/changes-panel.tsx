import { readObject, readString, type Plan, type UntypedData } from '@phaseline/client';
import { Badge } from '../ui/badge.js';
import { Json } from '../ui/code.js';
import { toWords } from '../ui/format.js';
import { LazyDetails } from '../ui/lazy-details.js';
import { Empty } from '../ui/notice.js';

/** The structural changes of the plan: what was changed, why and by whom. */
export function ChangesPanel({ adaptations }: { readonly adaptations: Plan['adaptations'] }) {
  if (adaptations.length === 0) return <Empty>No artifact of the plan was changed after it was made.</Empty>;
  return (
    <ol className="plan-changes">
      {adaptations.map((adaptation, index) => (
        <Change key={index} adaptation={adaptation} />
      ))}
    </ol>
  );
}

function Change({ adaptation }: { readonly adaptation: UntypedData }) {
  const entry = readObject(adaptation, 'entry');
  const node = readString(entry, 'node');
  const source = toWords(readString(entry, 'introducedBy') ?? '');
  return (
    <li className="plan-change">
      <p className="row">
        <strong className="wrap-anywhere">{readString(entry, 'what')}</strong>
        {adaptation['isApproved'] === true ? (
          <Badge tone="ok" glyph="✓">
            approved
          </Badge>
        ) : null}
      </p>
      <p className="wrap-anywhere">{readString(entry, 'why')}</p>
      <p className="muted wrap-anywhere">
        {readString(entry, 'artifact')}
        {node === undefined ? null : `, ${node}`}, by {readString(entry, 'by')} ({source})
      </p>
      <LazyDetails summary="Before and after">
        {() => (
          <div className="plan-before-after">
            <Json label="Before" value={entry['before'] ?? null} maxHeight={240} />
            <Json label="After" value={entry['after'] ?? null} maxHeight={240} />
          </div>
        )}
      </LazyDetails>
    </li>
  );
}
