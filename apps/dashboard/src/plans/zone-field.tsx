import { useId, useState } from 'react';
import { TextField } from '../ui/field.js';

/** The time zone of a plan. It offers those that the browser knows; the server may know others. */
export function ZoneField({
  value,
  error,
  onChange,
}: {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (zone: string) => void;
}) {
  const id = useId();
  // Hundreds of names, which only a person who changes the zone needs.
  const [zones, setZones] = useState<readonly string[]>([]);
  return (
    <>
      <TextField
        {...{ label: 'Time zone', list: id, value, error }}
        onFocus={() => setZones(Intl.supportedValuesOf('timeZone'))}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
