import { useRef, type ReactNode } from 'react';
import { useFocusOfFirstError } from '../ui/use-focus-of-first-error.js';

/** A form about plans. Nothing is sent while a request is under way, and the first field that is wrong gets the focus. */
export function PlanForm({
  errors,
  isPending,
  onSend,
  children,
}: {
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly isPending: boolean;
  readonly onSend: (form: HTMLFormElement) => void;
  readonly children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  useFocusOfFirstError(form, errors);
  return (
    <form
      ref={form}
      className="plan-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) onSend(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}
