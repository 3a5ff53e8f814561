import type { JobId } from '@phaseline/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { TextArea } from '../ui/field.js';
import { ErrorNotice } from '../ui/notice.js';

/** Sends the agent a message, which it reads before its next step. */
export function SteerDialog({ jobId, onClose }: { readonly jobId: JobId; readonly onClose: () => void }) {
  const [message, setMessage] = useState('');
  const send = useMutation({ mutationFn: () => client.control(jobId, 'steer', { message }), onSuccess: onClose });
  return (
    <Dialog title="Steer the agent" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        <TextArea
          label="Message"
          help="The agent reads it before its next step."
          required
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
        {send.error ? <ErrorNotice error={send.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" disabled={send.isPending || message.trim() === ''}>
            Send
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
