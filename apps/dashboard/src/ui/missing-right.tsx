/** Says why no action is offered. */
export function MissingRight({ right, tenant }: { readonly right: string; readonly tenant: string }) {
  return (
    <p className="muted">
      You can look, but not decide: that needs the right <code>{right}</code> in the tenant {tenant}.
    </p>
  );
}
