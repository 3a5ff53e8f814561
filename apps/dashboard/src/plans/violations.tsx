import { readObject, readString, type Plan } from '@phaseline/client';
import { pluralise } from '../ui/format.js';

/** What the last validation found, each with what would repair it. */
export function Violations({ violations }: { readonly violations: Plan['violations'] }) {
  return (
    <details open>
      <summary>{pluralise(violations.length, 'rule is', 'rules are')} broken by the last draft</summary>
      <ul className="plan-violations">
        {violations.map((violation, index) => {
          const node = readString(violation, 'node');
          const remedy = readObject(violation, 'remedy');
          return (
            <li key={index} className="wrap-anywhere">
              {readString(violation, 'message')}{' '}
              <span className="muted">
                (<code>{readString(violation, 'code')}</code>
                {node === undefined ? null : `, ${node}`})
              </span>
              <p className="muted">{readString(remedy, 'description') ?? readString(remedy, 'text')}</p>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
