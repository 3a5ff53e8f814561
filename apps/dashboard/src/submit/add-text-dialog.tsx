import { useState } from 'react';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { TextArea, TextField } from '../ui/field.js';
import type { DraftDocument } from './submit-draft.js';

/** Writes or pastes a document. */
export function AddTextDialog({
  onAdd,
  onClose,
}: {
  readonly onAdd: (document: Omit<DraftDocument, 'id'>) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('note.md');
  const [text, setText] = useState('');
  const isIncomplete = name.trim() === '' || text === '';
  return (
    <Dialog title="Write a text" wide onClose={onClose}>
      {/* Not a form: the dialog is part of the form of the submission. */}
      <div className="form">
        <TextField label="Name of the document" value={name} onChange={({ target }) => setName(target.value)} />
        <TextArea label="Text" isCode rows={14} value={text} onChange={({ target }) => setText(target.value)} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={isIncomplete}
            onClick={() => {
              onAdd({ name: name.trim(), content: text });
              onClose();
            }}
          >
            Add the text
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
