import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import './field.css';

interface FieldProps {
  readonly label: string;
  /** What to enter, below the field. */
  readonly help?: ReactNode;
  /** Why the value was refused. */
  readonly error?: string | undefined;
}

interface Ids {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

function Frame({ label, help, error, children }: FieldProps & { readonly children: (ids: Ids) => ReactNode }) {
  const id = useId();
  const described = [help === undefined ? '' : `${id}-help`, error === undefined ? '' : `${id}-error`].join(' ').trim();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error !== undefined,
      })}
      {help === undefined ? null : (
        <p id={`${id}-help`} className="muted">
          {help}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({ label, help, error, ...attributes }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Frame {...{ label, help, ...(error === undefined ? {} : { error }) }}>
      {(ids) => <input type="text" autoComplete="off" spellCheck={false} {...attributes} {...ids} className="input" />}
    </Frame>
  );
}

export function TextArea({
  label,
  help,
  error,
  isCode = false,
  ...attributes
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly isCode?: boolean }) {
  return (
    <Frame {...{ label, help, ...(error === undefined ? {} : { error }) }}>
      {(ids) => (
        <textarea
          {...{ rows: 4, ...(isCode ? { spellCheck: false, autoComplete: 'off' } : {}), ...attributes, ...ids }}
          className={isCode ? 'input mono' : 'input'}
        />
      )}
    </Frame>
  );
}

export function SelectField({
  label,
  help,
  error,
  children,
  ...attributes
}: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Frame {...{ label, help, ...(error === undefined ? {} : { error }) }}>
      {(ids) => (
        <select {...attributes} {...ids} className="input">
          {children}
        </select>
      )}
    </Frame>
  );
}

export function Checkbox({
  label,
  ...attributes
}: { readonly label: ReactNode } & Omit<InputHTMLAttributes<HTMLInputElement>, 'type'>) {
  return (
    <label className="checkbox">
      <input type="checkbox" {...attributes} />
      {label}
    </label>
  );
}
