import type { ComponentProps, FormEvent } from 'react';

interface Props extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: () => void;
}

/** A form that is sent by the page. That of a dialog which opens from within it is sent alone. */
export function Form({ onSubmit, ...attributes }: Props) {
  function send(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    onSubmit();
  }
  return <form noValidate {...attributes} onSubmit={send} />;
}
