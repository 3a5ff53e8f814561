import { useId } from 'react';

/** The options of a question, of which one is the answer. */
export function AnswerOptions({
  options,
  value,
  onChange,
}: {
  readonly options: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="answer-options">
      <legend className="visually-hidden">Your answer</legend>
      {options.map((option) => (
        <label key={option} className="answer-option">
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span className="wrap-anywhere">{option}</span>
        </label>
      ))}
    </fieldset>
  );
}
