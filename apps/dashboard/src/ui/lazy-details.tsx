import { useState, type ReactNode } from 'react';

/** A part of the page that can be opened. Its content, which may be long, exists only while it is open. */
export function LazyDetails({
  summary,
  children,
}: {
  readonly summary: ReactNode;
  readonly children: () => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
}
