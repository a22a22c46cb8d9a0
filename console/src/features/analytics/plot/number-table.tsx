export interface PlotTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table on a large screen, cards on a phone. */
export function NumberTable({ label, table }: { readonly label: string; readonly table: PlotTable }) {
  return (
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
  );
}
