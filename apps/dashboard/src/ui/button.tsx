import type { ButtonHTMLAttributes } from 'react';
import { Link } from 'wouter';
import './button.css';

type Variant = 'plain' | 'primary' | 'danger' | 'quiet';

export function Button({
  variant = 'plain',
  ...attributes
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly variant?: Variant }) {
  return <button type="button" {...attributes} className={`button button-${variant}`} />;
}

/** A link that looks like a button, because it leads to another page. */
export function LinkButton({
  to,
  variant = 'plain',
  children,
}: {
  readonly to: string;
  readonly variant?: Variant;
  readonly children: string;
}) {
  return (
    <Link href={to} className={`button button-${variant}`}>
      {children}
    </Link>
  );
}
