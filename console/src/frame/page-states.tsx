import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { PartMissing } from '../lib/actions/load-part.ts';
import { t } from '../lib/words/words.ts';

export function PageLoading() {
  return (
    <Center mih="50vh">
      <Loader aria-label={t('Loading')} />
    </Center>
  );
}

export function MissingPage() {
  return (
    <Center mih="70vh" p="md">
      <Stack align="center" gap="xs">
        <Title order={1}>{t('Page not found')}</Title>
        <Text size="md" c="dimmed" ta="center">
          {t('The address may be mistyped, or the page was deleted.')}
        </Text>
        <Button variant="filled" component={Link} to="/apps" mt="md">
          {t('Go to the apps')}
        </Button>
      </Stack>
    </Center>
  );
}

/** A page that this tab cannot load any more. What was typed is kept as a draft on this device. */
function MissingPart({ error: { message, isNewVersion } }: { readonly error: PartMissing }) {
  return (
    <Center mih="50vh" p="md">
      <Stack align="center" gap="xs" maw={480} role="alert">
        <Title order={1}>{isNewVersion ? t('A new version is here') : t('This page could not be loaded')}</Title>
        <Text size="md" c="dimmed" ta="center">
          {message}
        </Text>
        <Button variant="filled" mt="md" onClick={() => window.location.reload()}>
          {isNewVersion ? t('Reload') : t('Try again')}
        </Button>
      </Stack>
    </Center>
  );
}

export function PageFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof PartMissing) return <MissingPart error={error} />;
  return (
    <Center mih="50vh" p="md">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={1}>{t('This page could not be loaded')}</Title>
        <Text size="md" c="dimmed" ta="center">
          {error instanceof Error ? error.message : t('Something went wrong.')}
        </Text>
        <Button variant="filled" mt="md" onClick={() => void router.invalidate()}>
          {t('Try again')}
        </Button>
      </Stack>
    </Center>
  );
}
