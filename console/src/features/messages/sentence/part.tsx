import {
  Button,
  Drawer,
  Group,
  MantineThemeProvider,
  MultiSelect,
  Popover,
  Select,
  Stack,
  UnstyledButton,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { t } from '../../../lib/words/words.ts';
import classes from './sentence.module.css';

interface Props {
  /** What is chosen here: `Days`. */
  readonly name: string;
  /** As the sentence says it. */
  readonly children: ReactNode;
  readonly editor: ReactNode;
  readonly isLocked: boolean;
  readonly isWrong?: boolean | undefined;
}

/** Lists to choose from open at a click, not with what they are in. */
function themeOf(withinPortal: boolean) {
  const defaultProps = { comboboxProps: { withinPortal, shadow: 'md' }, openOnFocus: false };
  return { components: { Select: Select.extend({ defaultProps }), MultiSelect: MultiSelect.extend({ defaultProps }) } };
}
/** Those of a popover are in it: elsewhere it would be a click beside it, which closes it. Those of a sheet are over its head. */
const themes = { popover: themeOf(false), sheet: themeOf(true) };

/** A part of the sentence, and the editor that it opens: beside it on a desk, a sheet on a phone. */
export function Part({ name, children, editor, isLocked, isWrong = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isPhone = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  if (isLocked) return <strong>{children}</strong>;
  const target = (
    <UnstyledButton
      className={classes.part}
      title={name}
      data-wrong={isWrong || undefined}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      {children}
    </UnstyledButton>
  );
  const content = (
    <MantineThemeProvider theme={themes[isPhone ? 'sheet' : 'popover']} inherit>
      <Stack gap="sm">
        {editor}
        <Group justify="flex-end">
          <Button variant="filled" size={isPhone ? 'md' : 'xs'} onClick={() => setOpen(false)}>
            {t('Done')}
          </Button>
        </Group>
      </Stack>
    </MantineThemeProvider>
  );
  if (isPhone)
    return (
      <>
        {target}
        <Drawer
          opened={isOpen}
          onClose={() => setOpen(false)}
          position="bottom"
          size="auto"
          title={name}
          lockScroll={false}
          closeButtonProps={{ 'aria-label': t('Close') }}
          classNames={{ content: classes.sheet ?? '' }}
        >
          {content}
        </Drawer>
      </>
    );
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={360} shadow="lg" trapFocus returnFocus>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown aria-label={name}>{content}</Popover.Dropdown>
    </Popover>
  );
}
