import type { ReactNode } from 'react';
import './key-values.css';

/** Facts as pairs of name and value. Pairs without a value are left out. */
export function KeyValues({ items }: { readonly items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="key-values">
      {items
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
