import './code.css';

/** Text as it is, in a box that scrolls. The label names it for screen readers, because the box can take the focus. */
export function Code({
  label,
  text,
  maxHeight = 320,
}: {
  readonly label: string;
  readonly text: string;
  readonly maxHeight?: number;
}) {
  return (
    <pre className="code" role="region" aria-label={label} tabIndex={0} style={{ maxHeight }}>
      {text}
    </pre>
  );
}

/** A value as indented JSON. */
export function Json({
  label,
  value,
  maxHeight,
}: {
  readonly label: string;
  readonly value: unknown;
  readonly maxHeight?: number;
}) {
  return (
    <Code
      label={label}
      text={JSON.stringify(value, undefined, 2) ?? ''}
      {...(maxHeight === undefined ? {} : { maxHeight })}
    />
  );
}

/** A command for the terminal, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <span className="command">
      <code>{text}</code>
      <button type="button" className="command-copy" onClick={() => copy(text)}>
        Copy<span className="visually-hidden"> the command {text}</span>
      </button>
    </span>
  );
}

/** Copies a text to the clipboard, where the browser has one. */
export function copy(text: string): void {
  void navigator.clipboard?.writeText(text);
}
