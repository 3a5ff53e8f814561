import type { JobFacets } from '@phaseline/client';
import { ages } from '../ui/ages.js';
import { Button } from '../ui/button.js';
import { SelectField } from '../ui/field.js';
import { formatCount } from '../ui/format.js';
import { TypedField } from '../ui/typed-field.js';
import { isFiltered, sorts, waitKinds, type JobFilters } from './job-filters.js';
import { useFacets } from './use-jobs.js';

/** The filters above the list. All of them are in the address. */
export function FilterBar({
  filters,
  onChange,
}: {
  readonly filters: JobFilters;
  readonly onChange: (change: Partial<JobFilters>) => void;
}) {
  const { data: facets } = useFacets();
  const select = (name: keyof JobFilters) => ({
    value: filters[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ [name]: target.value }),
  });
  return (
    <form
      className="form-row job-filters"
      role="search"
      aria-label="Filter jobs"
      onSubmit={(event) => event.preventDefault()}
    >
      <TypedField label="Search" value={filters.text} onChange={(text) => onChange({ text })} />
      <SelectField label="Status" {...select('status')}>
        <Options all="every status" counts={facets?.statuses} current={filters.status} />
      </SelectField>
      <SelectField label="Agent" {...select('agent')}>
        <Options all="every agent" counts={facets?.agents} current={filters.agent} />
      </SelectField>
      {(facets?.tenants.length ?? 0) > 1 || filters.tenant !== '' ? (
        <SelectField label="Tenant" {...select('tenant')}>
          <Options all="every tenant" counts={facets?.tenants} current={filters.tenant} />
        </SelectField>
      ) : null}
      <SelectField label="Waits for" {...select('waitsFor')}>
        <option value="">anything</option>
        {waitKinds.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </SelectField>
      <TypedField
        label="Longer than, min"
        value={filters.longerThan}
        inputMode="decimal"
        onChange={(longerThan) => onChange({ longerThan })}
      />
      <SelectField label="Submitted in the last" {...select('since')}>
        <option value="">any time</option>
        {Object.keys(ages).map((age) => (
          <option key={age}>{age}</option>
        ))}
      </SelectField>
      <TypedField
        label="Costs at least, $"
        value={filters.minCost}
        inputMode="decimal"
        onChange={(minCost) => onChange({ minCost })}
      />
      <TypedField
        label="Label"
        placeholder="key=value"
        value={filters.label}
        onChange={(label) => onChange({ label })}
      />
      <SelectField label="Order" {...select('sort')}>
        {sorts.map((sort) => (
          <option key={sort} value={sort === 'newest' ? '' : sort}>
            {{ newest: 'newest first', oldest: 'oldest first', cost: 'most expensive', waiting: 'longest wait' }[sort]}
          </option>
        ))}
      </SelectField>
      {isFiltered(filters) ? (
        <Button
          onClick={() =>
            onChange({
              ...{ text: '', status: '', agent: '', tenant: '', waitsFor: '', longerThan: '', since: '' },
              ...{ minCost: '', label: '' },
            })
          }
        >
          Clear
        </Button>
      ) : null}
    </form>
  );
}

function Options({
  all,
  counts,
  current,
}: {
  readonly all: string;
  readonly counts: JobFacets['agents'] | undefined;
  readonly current: string;
}) {
  const isListed = current === '' || counts?.some(({ value }) => value === current) === true;
  return (
    <>
      <option value="">{all}</option>
      {isListed ? null : <option>{current}</option>}
      {counts?.map(({ value, jobs }) => (
        <option key={value} value={value}>
          {`${value} (${formatCount(jobs)})`}
        </option>
      ))}
    </>
  );
}
