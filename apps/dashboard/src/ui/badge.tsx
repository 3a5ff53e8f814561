import type { ReactNode } from 'react';
import './badge.css';

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad';

/** A short state with a glyph and a word. The colour never carries the meaning alone. */
export function Badge({
  tone = 'neutral',
  glyph,
  children,
}: {
  readonly tone?: Tone;
  readonly glyph?: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`}>
      {glyph === undefined ? null : <span aria-hidden="true">{glyph}</span>}
      {children}
    </span>
  );
}

const statusLooks: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['accent', '●'],
  submitted: ['neutral', '○'],
  paused: ['warn', '‖'],
  'waiting-for-approval': ['warn', '?'],
  'waiting-for-input': ['warn', '?'],
  cancelling: ['warn', '◌'],
  completed: ['ok', '✓'],
  failed: ['bad', '✕'],
  blocked: ['warn', '!'],
  aborted: ['bad', '✕'],
  cancelled: ['neutral', '–'],
};

/** The status of a job or a phase. */
export function StatusBadge({ status }: { readonly status: string }) {
  const [tone, glyph] = statusLooks[status] ?? (['neutral', '○'] as const);
  return (
    <Badge tone={tone} glyph={glyph}>
      {status}
    </Badge>
  );
}
