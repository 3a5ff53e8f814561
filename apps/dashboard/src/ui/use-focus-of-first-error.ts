import { useEffect } from 'react';

/** After a form was refused, the focus moves to the first field that has to be corrected. */
export function useFocusOfFirstError(
  form: { readonly current: HTMLFormElement | null },
  errors: Readonly<Partial<Record<string, string>>>,
): void {
  const names = Object.keys(errors).join();
  useEffect(() => {
    if (names !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, names]);
}
