import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog, DialogActions } from './dialog.js';
import { TextField } from './field.js';
import { ErrorNotice } from './notice.js';

/**
 * Asks before something is done that cannot be undone easily, with a reason if one is wanted, and shows why it was refused. It closes
 * when `onConfirm` has succeeded.
 */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  danger = false,
  reasonLabel,
  reasonRequired = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly confirmLabel: string;
  readonly danger?: boolean;
  /** Label of a field for a reason; without it no reason is asked for. */
  readonly reasonLabel?: string;
  readonly reasonRequired?: boolean;
  readonly onConfirm: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const confirm = useMutation({ mutationFn: () => onConfirm(reason.trim()), onSuccess: onClose });
  const isIncomplete = reasonRequired && reason.trim() === '';
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isIncomplete) confirm.mutate();
        }}
      >
        {children}
        {reasonLabel === undefined ? null : (
          <TextField
            label={reasonLabel}
            value={reason}
            required={reasonRequired}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
        {confirm.error ? <ErrorNotice error={confirm.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button type="submit" variant={danger ? 'danger' : 'primary'} disabled={confirm.isPending || isIncomplete}>
            {confirmLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
