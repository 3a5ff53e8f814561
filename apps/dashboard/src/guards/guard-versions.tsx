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
import { PromoteDialog } from './stage-dialogs.js';
import type { GuardPlace, GuardVersion } from './use-guards.js';

const tones: Readonly<Record<string, Tone>> = { production: 'ok', shadow: 'warn' };

/** The versions, newest first, with what each decides and how it differs from the one in effect. */
export function GuardVersions({ guard, place }: { readonly guard: GuardRecord; readonly place: GuardPlace }) {
  const can = useRights();
  const [promoted, setPromoted] = useState<GuardVersion>();
  const inEffect = guard.versions.find(({ stage }) => stage === 'production');
  return (
    <Card title="Versions">
      <ol className="stack">
        {guard.versions.map((version) => (
          <li key={version.version} className="stack-small">
            <div className="row">
              <strong>Version {version.number}</strong>
              <Badge tone={tones[version.stage] ?? 'neutral'}>{version.stage}</Badge>
              {version.stage !== 'production' && can('guards:promote', place.tenant) ? (
                <Button onClick={() => setPromoted(version)}>Promote</Button>
              ) : null}
            </div>
            <Version version={version} inEffect={inEffect} />
          </li>
        ))}
      </ol>
      {promoted === undefined ? null : (
        <PromoteDialog name={guard.name} place={place} version={promoted} onClose={() => setPromoted(undefined)} />
      )}
    </Card>
  );
}

function Version({
  version,
  inEffect,
}: {
  readonly version: GuardVersion;
  readonly inEffect: GuardVersion | undefined;
}) {
  const { definition, addedBy, addedAt, description, owner, number } = version;
  const isCompared = definition && inEffect?.definition && inEffect.version !== version.version;
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
