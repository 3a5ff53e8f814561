import { useEffect, useState } from 'react';
import { TextField } from './field.js';

/** Time in milliseconds after the last key until a text is used. */
const TYPING_MS = 350;

/** A text field whose value is used when the person pauses. */
export function TypedField({
  label,
  value,
  onChange,
  ...attributes
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly inputMode?: 'decimal';
}) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The address was changed by something else, such as the button that clears the filters.
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return <TextField label={label} value={text} {...attributes} onChange={({ target }) => setText(target.value)} />;
}
