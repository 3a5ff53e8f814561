import { useId, useRef, useState, type DragEvent } from 'react';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { formatBytes } from '../ui/format.js';
import { AddTextDialog } from './add-text-dialog.js';
import type { DraftDocument } from './submit-draft.js';

let lastId = 0;

/** The documents of the job: files that are chosen or dropped, and texts. */
export function Documents({
  documents,
  error,
  onChange,
}: {
  readonly documents: readonly DraftDocument[];
  readonly error: string | undefined;
  readonly onChange: (documents: readonly DraftDocument[]) => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [isWriting, setWriting] = useState(false);
  const add = (added: readonly Omit<DraftDocument, 'id'>[]): void =>
    onChange([...documents, ...added.map((one) => ({ ...one, id: (lastId += 1) }))]);
  const addFiles = (files: Iterable<File>): void =>
    add([...files].map((file) => ({ name: file.webkitRelativePath || file.name, content: file })));
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    addFiles(event.dataTransfer.files);
  };
  return (
    <Card title="Documents">
      <div
        className={isOver ? 'drop-zone drop-zone-over' : 'drop-zone'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <p className="muted">Drop files here, or</p>
        <label htmlFor={id} className="visually-hidden">
          Files
        </label>
        <input
          ref={input}
          id={id}
          type="file"
          multiple
          className="visually-hidden"
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={({ target }) => {
            addFiles(target.files ?? []);
            // The same file can be chosen again after it was removed.
            target.value = '';
          }}
        />
        <Button onClick={() => input.current?.click()}>Choose files</Button>
        <Button onClick={() => setWriting(true)}>Write a text…</Button>
      </div>
      {error === undefined ? null : (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
      <DocumentList {...{ documents, onChange }} />
      {isWriting ? <AddTextDialog onAdd={(one) => add([one])} onClose={() => setWriting(false)} /> : null}
    </Card>
  );
}

function DocumentList({
  documents,
  onChange,
}: {
  readonly documents: readonly DraftDocument[];
  readonly onChange: (documents: readonly DraftDocument[]) => void;
}) {
  return (
    <ul className="document-list" aria-label="Documents of the job">
      {documents.map((document) => (
        <li key={document.id} className="document-row">
          <input
            className="input grow"
            aria-label={`Name of the document ${document.name}`}
            value={document.name}
            onChange={({ target }) =>
              onChange(documents.map((one) => (one.id === document.id ? { ...one, name: target.value } : one)))
            }
          />
          <span className="muted nowrap">{formatBytes(sizeOf(document))}</span>
          <Button variant="quiet" onClick={() => onChange(documents.filter(({ id }) => id !== document.id))}>
            Remove<span className="visually-hidden"> {document.name}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function sizeOf({ content }: Pick<DraftDocument, 'content'>): number {
  return typeof content === 'string' ? new TextEncoder().encode(content).length : content.size;
}
