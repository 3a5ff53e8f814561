import { useState } from 'react';
import { TextArea } from '../ui/field.js';
import { parseJson } from './argument-text.js';

/** One field per argument: texts as they are, other values as JSON. */
export function ArgumentFields({
  value,
  onChange,
}: {
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (next: Record<string, unknown>) => void;
}) {
  return (
    <div className="amend-fields">
      {Object.entries(value).map(([name, one]) =>
        typeof one === 'string' ? (
          <TextArea
            key={name}
            isCode
            label={name}
            rows={Math.min(16, one.split('\n').length + (one.includes('\n') ? 1 : 0))}
            value={one}
            onChange={({ target }) => onChange({ ...value, [name]: target.value })}
          />
        ) : (
          <JsonField key={name} name={name} value={one} onChange={(next) => onChange({ ...value, [name]: next })} />
        ),
      )}
    </div>
  );
}

/** Keeps the text that is being written, also while it is no JSON; only valid JSON changes the value. */
function JsonField({
  name,
  value,
  onChange,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly onChange: (next: unknown) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const parsed = parseJson(text);
  return (
    <TextArea
      isCode
      label={`${name} (JSON)`}
      rows={Math.min(10, text.split('\n').length)}
      value={text}
      error={'problem' in parsed ? parsed.problem : undefined}
      onChange={({ target }) => {
        setText(target.value);
        const next = parseJson(target.value);
        if ('value' in next) onChange(next.value);
      }}
    />
  );
}
