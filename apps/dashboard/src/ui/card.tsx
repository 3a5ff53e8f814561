import type { ReactNode } from 'react';
import { useId } from 'react';
import type { Tone } from './badge.js';
import './card.css';

/** A part of a page with a heading. */
export function Card({
  title,
  actions,
  children,
  className = '',
}: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  const id = useId();
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {actions === undefined ? null : <div className="row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** One figure with its label and a note, such as the money spent today. */
export function Figure({
  label,
  value,
  note,
  tone = 'neutral',
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: Tone;
}) {
  return (
    <div className="card figure">
      <h2>{label}</h2>
      <p className={`figure-value tone-${tone}`}>{value}</p>
      {note === undefined ? null : <p className="muted">{note}</p>}
    </div>
  );
}
