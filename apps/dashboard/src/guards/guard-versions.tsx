import type { GuardRecord } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Badge, type Tone } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Json } from '../ui/code.js';
import { Diff } from '../ui/diff.js';
import { KeyValues } from '../ui/key-values.js';
import { DateTime } from '../ui/time.js';
import { GuardBacktests } from './guard-backtests.js';
import { BacktestDialog, PromoteDialog } from './stage-dialogs.js';
import type { GuardPlace, GuardVersion } from './use-guards.js';

const tones: Readonly<Record<string, Tone>> = { production: 'ok', shadow: 'warn' };

/** The versions, newest first, with what each decides and how it differs from the one in effect. */
export function GuardVersions({ guard, place }: { readonly guard: GuardRecord; readonly place: GuardPlace }) {
  const can = useRights();
  const [open, setOpen] = useState<{ readonly dialog: 'promote' | 'backtest'; readonly version: GuardVersion }>();
  const inEffect = guard.versions.find(({ stage }) => stage === 'production');
  return (
    <Card title="Versions">
      <ol className="stack">
        {guard.versions.map((version) => (
          <li key={version.number} className="stack-small">
            <div className="row">
              <strong>Version {version.number}</strong>
              <Badge tone={tones[version.stage] ?? 'neutral'}>{version.stage}</Badge>
              {version.stage !== 'production' && can('guards:backtest', place.tenant) ? (
                <Button onClick={() => setOpen({ dialog: 'backtest', version })}>Backtest</Button>
              ) : null}
              {isPromotable(version) && can('guards:promote', place.tenant) ? (
                <Button onClick={() => setOpen({ dialog: 'promote', version })}>Promote</Button>
              ) : null}
            </div>
            <Version version={version} inEffect={inEffect} />
          </li>
        ))}
      </ol>
      {open?.dialog === 'promote' ? (
        <PromoteDialog name={guard.name} place={place} version={open.version} onClose={() => setOpen(undefined)} />
      ) : null}
      {open?.dialog === 'backtest' ? (
        <BacktestDialog name={guard.name} place={place} version={open.version} onClose={() => setOpen(undefined)} />
      ) : null}
    </Card>
  );
}

function isPromotable({ stage }: GuardVersion): boolean {
  return stage === 'backtest' || stage === 'shadow';
}

function Version({
  version,
  inEffect,
}: {
  readonly version: GuardVersion;
  readonly inEffect: GuardVersion | undefined;
}) {
  const { definition, addedBy, addedAt, description, owner, number, minLabelled, backtests } = version;
  const isCompared = definition && inEffect?.definition && inEffect.number !== number;
  return (
    <>
      <KeyValues
        items={[
          ['Added', <DateTime key="at" at={addedAt} />],
          ['By', addedBy],
          ['Owner', owner],
          ['Description', description],
        ]}
      />
      <GuardBacktests backtests={backtests} minLabelled={minLabelled} />
      {definition === undefined ? null : (
        <details>
          <summary>What version {number} decides</summary>
          <Json label={`Definition of version ${number}`} value={definition} />
        </details>
      )}
      {isCompared ? (
        <details>
          <summary>Differences from version {inEffect.number}, which is in effect</summary>
          <Diff
            label={`Differences of version ${number}`}
            before={JSON.stringify(inEffect.definition, undefined, 2)}
            after={JSON.stringify(definition, undefined, 2)}
          />
        </details>
      ) : null}
    </>
  );
}
