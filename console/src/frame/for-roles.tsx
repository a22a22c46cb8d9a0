import { Center, Stack, Text, Title } from '@mantine/core';
import { type Operation, type Permission, useMay, useMayCall } from '../lib/data/access.ts';
import { mayDo } from '../lib/wire.ts';
import { t } from '../lib/words/words.ts';
import { lazyPage } from './lazy-page.ts';

/**
 * A page for some roles whose address people send each other. Others read that it is not for theirs, instead of being led elsewhere
 * without a word.
 */
export const forRoles = (needs: Permission | Operation, ...[importer, name]: Parameters<typeof lazyPage>) => {
  const Page = lazyPage(importer, name);
  const Guarded = () => (useMayUse(needs) ? <Page /> : <NotForRole />);
  return Object.assign(Guarded, { preload: Page.preload });
};

const isPermission = (needs: Permission | Operation): needs is Permission => needs in mayDo;

function useMayUse(needs: Permission | Operation): boolean {
  const may = useMay();
  const mayCall = useMayCall();
  return isPermission(needs) ? may(needs) : mayCall(needs);
}

function NotForRole() {
  return (
    <Center mih="50vh" p="md">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={2} tabIndex={-1}>
          {t('Your role does not include this page')}
        </Title>
        <Text c="dimmed" ta="center">
          {t('An owner can give you a role that does.')}
        </Text>
      </Stack>
    </Center>
  );
}
