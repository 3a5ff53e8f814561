import { promotionCauses, type PromotionCause } from '@phaseline/contracts';
import { useState } from 'react';
import { client } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
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
  const [cause, setCause] = useState<PromotionCause>('outcomes_worse');
  const [figure, setFigure] = useState('');
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title={`Promote version ${version.number} of ${name} to ${to}`}
      submitLabel="Promote"
      fields={['basis.figure', 'reason']}
      isComplete={figure.trim() !== '' && reason.trim() !== ''}
      onSubmit={async () => {
        const basis = { cause, figure: figure.trim() };
        const { version: hash, number } = version;
        await client.guards.promote(name, { ...place, version: hash, number, to, basis, reason: reason.trim() });
        await refreshGuards();
      }}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <p>{effects[to]}</p>
          <SelectField
            label="Cause"
            help={promotionCauses[cause]}
            value={cause}
            onChange={({ target }) => setCause(target.value as PromotionCause)}
          >
            {Object.keys(promotionCauses).map((one) => (
              <option key={one} value={one}>
                {one.replace('_', ' ')}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Figure that shows the cause"
            value={figure}
            required
            error={errorOf('basis.figure')}
            onChange={({ target }) => setFigure(target.value)}
          />
          <TextField
            label="Reason (recorded in the log)"
            value={reason}
            required
            error={errorOf('reason')}
            onChange={({ target }) => setReason(target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Runs a version on the recorded calls of the tenant, or of all tenants. */
export function BacktestDialog({ name, place, version, onClose }: DialogProps & { readonly version: GuardVersion }) {
  return (
    <ConfirmDialog
      title={`Backtest version ${version.number} of ${name}`}
      confirmLabel="Backtest"
      onConfirm={async () => {
        await client.guards.backtest(name, { ...place, number: version.number });
        await refreshGuards();
      }}
      onClose={onClose}
    >
      <p>
        It is asked about the calls of the newest 1,000 jobs, and nothing runs. What it would have decided is recorded.
        This can take a minute.
      </p>
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
