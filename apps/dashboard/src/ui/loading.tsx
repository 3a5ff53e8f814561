/** Says that something is being loaded, also to people who do not see it. */
export function Loading({ className = '' }: { readonly className?: string }) {
  return (
    <p className={`muted ${className}`} role="status">
      Loading…
    </p>
  );
}
