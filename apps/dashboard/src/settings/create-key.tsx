import type { CreatedKeyResponse } from '@phaseline/client';
import { useState } from 'react';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Notice } from '../ui/notice.js';
import { CreateKeyDialog } from './create-key-dialog.js';

/** Creates a key, and shows it once. */
export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKeyResponse>();
  if (created) return <CreatedKeyDialog created={created} onClose={onClose} />;
  return <CreateKeyDialog onCreated={setCreated} onClose={onClose} />;
}

/** The key is not stored anywhere, so this dialog closes only when asked to. */
function CreatedKeyDialog({
  created: { key, prefix, principal },
  onClose,
}: {
  readonly created: CreatedKeyResponse;
  readonly onClose: () => void;
}) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog title={`Key ${prefix} of ${principal}`} onClose={onClose}>
      <div className="stack">
        <Notice tone="warn">
          Copy the key now and keep it secret. It is shown only this once: the server stores no copy of it.
        </Notice>
        <code className="settings-key" aria-label="Key">
          {key}
        </code>
        <p aria-live="polite" className="muted">
          {isCopied ? 'Copied to the clipboard.' : 'Whoever has the key may do what it allows, until it is revoked.'}
        </p>
      </div>
      <DialogActions>
        <Button onClick={() => void navigator.clipboard?.writeText(key).then(() => setCopied(true))}>Copy key</Button>
        <Button variant="primary" onClick={onClose}>
          I have stored it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
