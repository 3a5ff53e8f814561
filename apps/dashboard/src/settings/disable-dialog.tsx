import type { PrincipalRecord } from '@phaseline/client';
import { client } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { useChangePrincipals } from './use-principals.js';

/** Disables a principal, or enables it again. */
export function DisableDialog({
  principal: { id, disabledAt },
  onClose,
}: {
  readonly principal: PrincipalRecord;
  readonly onClose: () => void;
}) {
  const change = useChangePrincipals();
  if (disabledAt !== undefined)
    return (
      <ConfirmDialog
        title={`Enable ${id}?`}
        confirmLabel="Enable"
        onConfirm={() => change(client.principals.enable(id))}
        onClose={onClose}
      >
        <p>Its keys are accepted again, unless they were revoked or have expired.</p>
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      title={`Disable ${id}?`}
      confirmLabel="Disable"
      danger
      reasonLabel="Reason"
      onConfirm={(reason) => change(client.principals.disable(id, { reason }))}
      onClose={onClose}
    >
      <p>Its keys are refused and its sessions end. Jobs that it submitted continue.</p>
    </ConfirmDialog>
  );
}
