import { client } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { refreshGuards, type GuardPlace, type GuardVersion } from './use-guards.js';

interface DialogProps {
  readonly name: string;
  readonly place: GuardPlace;
  readonly onClose: () => void;
}

const effects = {
  shadow: 'Its decisions are recorded from then on, and have no effect.',
  production: 'Its decisions have their effect in phases that start from then on.',
} as const;

/** Takes a version one stage further, with the consent of this person, who must not be its author. */
export function PromoteDialog({ name, place, version, onClose }: DialogProps & { readonly version: GuardVersion }) {
  const to = version.stage === 'shadow' ? 'production' : 'shadow';
  return (
    <ConfirmDialog
      title={`Promote version ${version.number} of ${name} to ${to}`}
      confirmLabel="Promote"
      reasonLabel="Reason (recorded in the log)"
      reasonRequired
      onConfirm={async (reason) => {
        await client.guards.promote(name, { ...place, version: version.version, to, reason });
        await refreshGuards();
      }}
      onClose={onClose}
    >
      <p>{effects[to]}</p>
    </ConfirmDialog>
  );
}

/** Takes the version in production out of effect. */
export function RollBackDialog({ name, place, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={`Roll back ${name}`}
      confirmLabel="Roll back"
      danger
      reasonLabel="Reason (recorded in the log)"
      reasonRequired
      onConfirm={async (reason) => {
        await client.guards.rollBack(name, { ...place, reason });
        await refreshGuards();
      }}
      onClose={onClose}
    >
      <p>The version in production has no effect any more. The one that it replaced returns, if there is one.</p>
    </ConfirmDialog>
  );
}
