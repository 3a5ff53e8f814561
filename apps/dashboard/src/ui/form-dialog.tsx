import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog, DialogActions } from './dialog.js';
import { isShownAtFields, listFieldErrors } from './field-errors.js';
import { ErrorNotice } from './notice.js';

/** Returns why the server refused the value of a field, by its path in the request. */
export type ErrorOf = (path: string) => string | undefined;

/**
 * A dialog with fields that sends a request, and closes when it has succeeded. A refusal of a value is shown at its field, if `fields` names
 * it; any other above the buttons.
 */
export function FormDialog({
  title,
  submitLabel,
  fields,
  isComplete = true,
  closesOnSuccess = true,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  readonly submitLabel: string;
  /** Paths of the values that have a field here. */
  readonly fields: readonly string[];
  readonly isComplete?: boolean;
  /** False if `onSubmit` shows something else in place of the dialog. */
  readonly closesOnSuccess?: boolean;
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: (errorOf: ErrorOf) => ReactNode;
}) {
  const submit = useMutation({ mutationFn: onSubmit, onSuccess: () => closesOnSuccess && onClose() });
  const errors = listFieldErrors(submit.error);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && !submit.isPending) submit.mutate();
        }}
      >
        {children((path) => errors[path])}
        {submit.error && !isShownAtFields(submit.error, fields) ? <ErrorNotice error={submit.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={!isComplete || submit.isPending}>
            {submitLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
