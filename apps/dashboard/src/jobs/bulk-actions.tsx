import type { BulkAction, BulkOutcome } from '@phaseline/client';
import { useState } from 'react';
import { Button } from '../ui/button.js';
import { pluralise } from '../ui/format.js';
import { BulkDialog } from './bulk-dialog.js';
import type { Selection } from './selection.js';

const actions: readonly { readonly action: BulkAction; readonly title: string }[] = [
  { action: 'pause', title: 'Pause' },
  { action: 'resume', title: 'Resume' },
  { action: 'steer', title: 'Steer' },
  { action: 'retry', title: 'Retry' },
  { action: 'cancel', title: 'Cancel' },
];

/** What can be done with the chosen jobs. */
export function BulkActions({
  selection,
  onSelectMatching,
  onClear,
}: {
  readonly selection: Selection;
  readonly onSelectMatching: () => void;
  readonly onClear: () => void;
}) {
  const [action, setAction] = useState<BulkAction>();
  const isAll = selection.kind === 'matching';
  return (
    <div className="notice job-bulk" role="region" aria-label="Chosen jobs">
      <strong aria-live="polite">
        {isAll ? 'All jobs that match' : pluralise(selection.jobIds.size, 'job')} chosen
      </strong>
      {actions.map(({ action: name, title }) => (
        <Button key={name} variant={name === 'cancel' ? 'danger' : 'plain'} onClick={() => setAction(name)}>
          {title}
        </Button>
      ))}
      {isAll ? null : (
        <Button variant="quiet" onClick={onSelectMatching}>
          Choose all that match
        </Button>
      )}
      <Button variant="quiet" onClick={onClear}>
        Choose none
      </Button>
      {action === undefined ? null : (
        <BulkDialog
          action={action}
          title={actions.find((one) => one.action === action)!.title}
          selection={selection}
          onClose={(outcomes: readonly BulkOutcome[]) => {
            setAction(undefined);
            if (outcomes.length > 0 && outcomes.every(({ outcome }) => outcome === 'done')) onClear();
          }}
        />
      )}
    </div>
  );
}
