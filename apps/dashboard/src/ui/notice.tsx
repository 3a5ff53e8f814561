import { PhaselineClientError } from '@phaseline/client';
import type { ReactNode } from 'react';
import { Button } from './button.js';
import './notice.css';

/** A message in the flow of a page. Screen readers read errors at once. */
export function Notice({
  tone = 'neutral',
  children,
}: {
  readonly tone?: 'neutral' | 'ok' | 'warn' | 'bad';
  readonly children: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** Returns the text of an error for people: what happened and what to do. */
export function describeError(error: unknown): string {
  return error instanceof PhaselineClientError || error instanceof Error ? error.message : String(error);
}

export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <Notice tone="bad">
      <p className="wrap-anywhere">{describeError(error)}</p>
      {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
    </Notice>
  );
}

/** What a list shows when it is empty: why, and what would fill it. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="empty">{children}</p>;
}
