/** The logo. */
export function Lighthouse({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#155a94" />
      <path d="M13.2 13h5.6l1.7 13h-9z" fill="#fff" />
      <path d="M12.8 8.6 16 6l3.2 2.6V12h-6.4z" fill="#ffd166" />
      <path d="M11.2 9.4 5 7.2v5.4l6.2-1.2zM20.8 9.4 27 7.2v5.4l-6.2-1.2z" fill="#ffd166" opacity=".55" />
      <path d="M12.5 18.2h7l.4 3.2h-7.8z" fill="#155a94" opacity=".85" />
    </svg>
  );
}
