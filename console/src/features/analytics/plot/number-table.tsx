import classes from '../analytics.module.css';

export interface PlotTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Props {
  readonly label: string;
  /** Of what scrolls; the label of the table unless given. */
  readonly around?: string;
  readonly table: PlotTable;
}

/** A table on a large screen, cards on a phone. */
export function NumberTable({ label, around = label, table }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard
    <section className={classes.scroller} tabIndex={0} aria-label={around}>
      <table aria-label={label}>
        <thead>
          <tr>
            {table.header.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(([first = '', ...rest]) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {rest.map((cell, index) => (
                <td key={table.header[index + 1]} data-label={table.header[index + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
