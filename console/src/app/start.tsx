import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import type { Question } from '../lib/data/question.ts';
import { confirmation, signingIn } from '../lib/data/signing-in.ts';
import { askAhead } from './ask-ahead.ts';
import { Notices } from './notices.tsx';
import { createQueries } from './query-client.ts';
import { createPages } from './router.tsx';
import { theme } from './theme.ts';

const ConfirmationDialog = lazyDialog(
  async () => (await import('../components/dialogs/password-confirmation.tsx')).ConfirmationDialog,
);
const SignInAgain = lazyDialog(async () => (await import('../components/dialogs/sign-in-again.tsx')).SignInAgain);

export function start(root: HTMLElement): void {
  const queries = createQueries();
  const pages = createPages(queries);
  askAhead(pages, queries);
  addEventListener('focus', signingIn.comeBack);
  // A page that the browser has kept, and shows again by its back button, knows nothing of what has happened since: that somebody
  // has signed out, or has changed what it shows.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void queries.invalidateQueries();
  });
  // The keyboard of a phone takes half of the window.
  visualViewport?.addEventListener('resize', () => {
    const { activeElement } = document;
    if (activeElement?.matches('input, textarea, select')) activeElement.scrollIntoView({ block: 'nearest' });
  });
  const again = () => void pages.invalidate();
  createRoot(root).render(
    <StrictMode>
      {/* The content policy allows no style elements, so colours and media classes come from style sheets only. */}
      <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
        <Notices />
        <QueryClientProvider client={queries}>
          <RouterProvider router={pages} />
          <Dialogs onSignedOut={again} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

/** What any page may ask. */
function Dialogs({ onSignedOut }: { readonly onSignedOut: () => void }) {
  return (
    <>
      <ConfirmationDialog {...useQuestion(confirmation)} />
      <SignInAgain {...useQuestion(signingIn)} onSignedOut={onSignedOut} />
    </>
  );
}

const useQuestion = ({ subscribe, isAsked, answer }: Question) => ({
  isOpen: useSyncExternalStore(subscribe, isAsked),
  onClose: () => answer(false),
});
