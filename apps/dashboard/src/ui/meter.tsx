import './meter.css';

/** A share of a limit as a bar. The numbers stand beside it. */
export function Meter({ label, value, max }: { readonly label: string; readonly value: number; readonly max: number }) {
  return <meter className="meter" aria-label={label} min={0} max={Math.max(1, max)} value={value} />;
}
