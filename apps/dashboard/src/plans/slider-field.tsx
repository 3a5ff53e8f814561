import { SelectField, TextField } from '../ui/field.js';
import { toWords } from '../ui/format.js';
import type { Slider } from './sliders.js';

/** The field of a slider. While it is empty, it shows what applies instead, such as `default (neutral)`. */
export function SliderField({
  slider: { title, help, values },
  text,
  unset,
  error,
  onChange,
}: {
  readonly slider: Slider;
  readonly text: string;
  readonly unset: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  if (values === undefined)
    return (
      <TextField
        {...{ label: title, help, error, placeholder: unset, inputMode: 'decimal', value: text }}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  return (
    <SelectField {...{ label: title, help, error, value: text }} onChange={({ target }) => onChange(target.value)}>
      <option value="">{unset}</option>
      {/* A newer server may know values that are unknown here. */}
      {[...new Set([...values, text])].map((value) =>
        value === '' ? null : (
          <option key={value} value={value}>
            {toWords(value)}
          </option>
        ),
      )}
    </SelectField>
  );
}

/** Describes the default of a slider for the place of an empty field. */
export function describeDefault({ usual }: Slider): string {
  return `default (${toWords(usual)})`;
}
