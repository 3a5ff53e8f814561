import type { DefinitionProblemRecord } from '@phaseline/client';
import { pluralise } from '../ui/format.js';
import { Notice } from '../ui/notice.js';
import './agents.css';

/** Errors in definitions, with what they mean for new jobs. */
export function Problems({
  problems,
  unusable,
}: {
  readonly problems: readonly DefinitionProblemRecord[];
  readonly unusable: readonly string[];
}) {
  return (
    <Notice tone="bad">
      <div className="stack-small grow">
        <p>
          {pluralise(problems.length, 'problem')} in the files of definitions. Agents with a valid version keep it;
          correct the files, and they are read within seconds.
          {unusable.length > 0 ? ` Without a valid version, and so not usable: ${unusable.join(', ')}.` : ''}
        </p>
        <ProblemList problems={problems} />
      </div>
    </Notice>
  );
}

/** Problems or warnings, each with its place. */
export function ProblemList({ problems }: { readonly problems: readonly DefinitionProblemRecord[] }) {
  return (
    <ul className="problems">
      {problems.map(({ file, line, column, message }) => (
        <li key={`${file}:${line}:${column}:${message}`} className="wrap-anywhere">
          <code>
            {file}
            {line === undefined ? '' : `:${line}:${column ?? 1}`}
          </code>
          <br />
          {message}
        </li>
      ))}
    </ul>
  );
}
