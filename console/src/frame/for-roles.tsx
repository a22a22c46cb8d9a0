import { Center, Stack, Text, Title } from '@mantine/core';
import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { isAllowed, type Operation, type Permission, useMay, useMayCall, useStanding } from '../lib/data/access.ts';
import { dataNeeds, mayDo } from '../lib/wire.ts';
import { t } from '../lib/words/words.ts';
import { lazyPage } from './lazy-page.ts';
import { app, signedIn } from './routes.ts';

/**
 * A page for some roles whose address people send each other. Others read that it is not for theirs, instead of being led elsewhere
 * without a word, and instead of an empty page below what the service refused. `needs` is what the page reads, or what it is there to change.
 */
export const forRoles = (needs: Permission | Operation, ...[importer, name]: Parameters<typeof lazyPage>) => {
  const Page = lazyPage(importer, name);
  function Guarded() {
    const isOpen = useMayUse(needs);
    const { role, venues } = useStanding() ?? {};
    if (isOpen) return <Page />;
    const permission = isPermission(needs) ? needs : dataNeeds[needs];
    return venues !== undefined && role !== undefined && isAllowed(role, permission) ? (
      <NotForVenues />
    ) : (
      <NotForRole />
    );
  }
  return Object.assign(Guarded, { preload: Page.preload });
};

/** Pages below a route, for those roles; `reads` says what a page takes from the rest of its address. */
const pagesBelow =
  <TParent extends AnyRoute>(parent: TParent) =>
  <const TPath extends string, TSearch extends object = object>(
    path: TPath,
    needs: Permission | Operation,
    importer: Parameters<typeof lazyPage>[0],
    name: string,
    reads?: (search: Record<string, unknown>) => TSearch,
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component: forRoles(needs, importer, name),
      validateSearch: reads as (search: Record<string, unknown>) => TSearch,
    });

export const appPage = pagesBelow(app);
export const ownPage = pagesBelow(signedIn);

const isPermission = (needs: Permission | Operation): needs is Permission => needs in mayDo;

function useMayUse(needs: Permission | Operation): boolean {
  const may = useMay();
  const mayCall = useMayCall();
  return isPermission(needs) ? may(needs) : mayCall(needs);
}

const NotForRole = () => (
  <Refusal title={t('Your role does not include this page')} text={t('An owner can give you a role that does.')} />
);

const NotForVenues = () => (
  <Refusal
    title={t('This page is about the app as a whole')}
    text={t('You are limited to some of its venues. An owner can give you more.')}
  />
);

function Refusal({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Center mih="50vh" p="md">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={2} tabIndex={-1}>
          {title}
        </Title>
        <Text size="md" c="dimmed" ta="center">
          {text}
        </Text>
      </Stack>
    </Center>
  );
}
